import RecorderAVFoundation

// The start button of a recording app, written for Apple's AVFoundation with one import changed:
// start-button FILE
// It asks if the user has not decided yet, and says what to do if the microphone is refused.

@MainActor
final class Memo: NSObject, AVAudioRecorderDelegate {
  private var recorder: AVAudioRecorder?
  private let url: URL

  init(_ url: URL) { self.url = url }

  func startButtonPressed() {
    switch AVCaptureDevice.authorizationStatus(for: .audio) {
    case .authorized:
      start()
    case .notDetermined:
      AVCaptureDevice.requestAccess(for: .audio) { granted in
        DispatchQueue.main.async {
          MainActor.assumeIsolated {
            if granted { self.start() } else { self.end("not allowed") }
          }
        }
      }
    case .denied:
      end("denied: “recorder permission grant --as start-button” allows it")
    case .restricted:
      end("restricted: a policy of this machine forbids it")
    @unknown default:
      end("unknown")
    }
  }

  private func start() {
    let settings: [String: Any] = [
      AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 44_100,
      AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 16,
    ]
    do {
      let recorder = try AVAudioRecorder(url: url, settings: settings)
      recorder.delegate = self
      guard recorder.record(forDuration: 2) else { return end("it cannot record") }
      self.recorder = recorder
      print("recording")
    } catch {
      end(error.localizedDescription)
    }
  }

  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
    end(flag ? "saved \(url.lastPathComponent)" : "failed")
  }

  private func end(_ words: String) {
    print(words)
    exit(words.hasPrefix("saved") ? 0 : 1)
  }
}

let memo = Memo(URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "memo.wav"))
memo.startButtonPressed()
RunLoop.main.run()
