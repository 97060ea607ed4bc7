// Apple's AVFoundation re-exports Foundation, so code for AVFoundation does not import it.
@_exported public import Foundation
