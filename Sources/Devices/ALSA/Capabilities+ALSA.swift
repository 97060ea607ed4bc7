extension Capabilities {
  /// Reads the capabilities of a device of ALSA's, which is opened and closed for that; throws as an opening does.
  package init(of device: String, _ direction: Direction) throws(DeviceError) {
    let handle = try opened(direction) { () throws(ALSAError) in
      try PCMHandle(opening: device, direction)
    }
    self = try unfailing { () throws(ALSAError) in
      let parameters = try HardwareParameters(of: handle)
      try parameters.reset()
      return parameters.capabilities()
    }
  }
}
