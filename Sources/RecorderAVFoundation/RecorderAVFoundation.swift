// Apple's AVFoundation re-exports Foundation, so code for AVFoundation may lack this import.
@_exported public import Foundation
