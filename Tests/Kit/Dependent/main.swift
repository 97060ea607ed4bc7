import RecorderAVFoundation
import RecorderFoundation
import RecorderKit

// Uses each product a little, so that the linker needs all of them.
let path = "dependent.wav"
let format = RecorderKit.AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .int16)
let writer = try AudioFileWriter(creating: path, format: format, replacingExisting: true)
try writer.write([0, 0.25, 0.5, -0.5])
try writer.close()

let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 16) else {
  fatalError("no buffer")
}
try file.read(into: buffer)
guard buffer.frameLength == 4, let samples = buffer.floatChannelData, samples[0][1] == 0.25 else {
  fatalError("the samples are others")
}
