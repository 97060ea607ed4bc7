internal import Audio
internal import CommandLine
internal import Devices

extension Capabilities {
  /// One line such as `44100, 48000 Hz; stereo; S16 S32`; the limits of plugins without limits are
  /// skipped.
  var summary: String {
    [rateText, channelText, formatText].joined(separator: "; ")
  }

  private var rateText: String {
    if rates.upperBound > 768_000 { return "any rate" }
    let common = commonRates.map(\.hertz)
    let isListed = (1...4).contains(common.count) && common.last == rates.upperBound
    return isListed ? "\(common.map(String.init).joined(separator: ", ")) Hz" : "\(span(rates)) Hz"
  }

  private var channelText: String {
    if channels.upperBound > 1_024 { return "any number of channels" }
    let only = channels.count == 1 ? ChannelCount(channels.lowerBound) : nil
    return only.map(\.description) ?? "\(span(channels)) channels"
  }

  /// The formats that can be used; unsupported ones only if there are no others.
  private var formatText: String {
    let names = formats.isEmpty ? otherFormats : formats.map(\.rawValue)
    return names.joined(separator: " ")
  }

  private func span(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
