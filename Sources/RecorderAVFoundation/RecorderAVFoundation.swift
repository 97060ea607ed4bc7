// Apple's AVFoundation also imports Foundation, so code for it expects this.
@_exported public import Foundation
