extension Capabilities {
  /// Asks a device of ALSA's what it can do; opens and closes it for that.
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
