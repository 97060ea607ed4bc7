internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Store

/// The files that make a session visible to other programs: its record, its socket, its results and
/// its entries in the audit.
struct PublishedSession {
  let identifier: SessionID
  let name: SessionName
  let store: MachineStore
  let host: any SessionHost
  let socket: SessionSocket
  let watch: AccessWatch

  /// Adds the result to the catalogue, and saves it for a later `wait`. A failure of one step does
  /// not prevent the other step. If the file could not be added to the catalogue, `result` reports
  /// this. A deleted take is not added. A file that keeps its hidden name is not added either: a
  /// recovery will rename this file and add it.
  func keep(_ result: inout RecordingResult) {
    do throws(DirectoryRefusal) {
      if result.reason == .cancelled {
        store.catalogue.note(deleted: result, of: name)
      } else if !isListed(result), !isHidden(result) {
        try store.catalogue.add(result)
      }
    } catch {
      result.add(host.words(for: .unlisted(error)), .incomplete)
    }
    if let delivery = result.delivery { host.deliver(delivery.series) }
    guard host.leavesResult else { return }
    do throws(DirectoryRefusal) {
      try store.sessions.leave(result, of: name)
    } catch {
      host.report(.resultLost(error, result))
    }
  }

  /// Writes the losses to the tracks of the record, because commands list the devices in use
  /// without asking the session.
  func note(_ losses: [AccessLoss]) {
    guard !losses.isEmpty else { return }
    // If this fails, the tracks are still listed as in use.
    try? store.sessions.update(name) { record in
      for loss in losses {
        for index in record.tracks.indices
        where record.tracks[index].service == loss.decision.service {
          record.tracks[index].ended = loss.cause
        }
      }
    }
  }

  /// Returns the access of `client` to `tracks`, for the reader with this identifier. Commands list
  /// the reader until the access ends, unless the record of the reader cannot be written.
  func access(
    of client: Client, as reader: SessionID, in process: Int32?, to tracks: [Track]
  ) -> ReaderAccess {
    var record = SessionRecord(
      identifier: reader.text, name: name.text,
      process: process ?? Environment.processIdentifier, device: "", path: nil,
      began: KernelClock.realTime.now)
    record.tracks = tracks
    record.client = client == .everyone ? nil : client.name
    record.isReader = true
    let mark = try? store.meters.mark(record)
    return watch.access(of: client, as: reader, in: process, to: tracks, mark)
  }

  /// Returns whether the file is already in the catalogue. This is true if the last file of the
  /// take had no frames and was removed. Then the result describes the previous file.
  private func isListed(_ result: RecordingResult) -> Bool {
    result.total != nil && result.path != nil && store.catalogue.contains(result)
  }

  /// Returns whether the file could not get its final name.
  private func isHidden(_ result: RecordingResult) -> Bool {
    guard let path = result.path else { return false }
    return store.sessions.record(of: name)?.left.contains { $0.isSameName(as: path) } ?? false
  }

  /// Removes the record and the socket, and writes the end to the audit.
  func withdraw(_ result: RecordingResult? = nil) {
    // Remove the record before the socket, because a record without a socket looks like an
    // unreachable session. Keep the record if a file could not get its final name, because recovery
    // needs the record to find the file.
    if store.sessions.record(of: name)?.isLeft == true {
      store.sessions.releaseRoom(of: name)
    } else {
      store.sessions.withdraw(name)
    }
    socket.remove()
    if let failure = watch.end(identifier, result) { host.report(.endUnaudited(failure)) }
  }
}
