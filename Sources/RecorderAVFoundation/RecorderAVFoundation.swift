// Code for Apple's AVFoundation gets Foundation with it.
@_exported public import Foundation
