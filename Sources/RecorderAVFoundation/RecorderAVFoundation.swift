// Apple's AVFoundation re-exports Foundation, so programs for AVFoundation import no Foundation.
@_exported public import Foundation
