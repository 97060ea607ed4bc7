-- Keeps WirePlumber 0.4 from linking a capture stream before the guard has decided.
--
-- PipeWire 0.3.65 does not check links, so a program can still link itself; the guard destroys such links. The guard writes
-- into the metadata object "default": the subject is the id of a client, the key "recorder-guard.microphone", the value
-- "allow" or "refuse", a space, and the object.serial of this client. The subject 0 has the version of this interface.

clients = {}
streams = {} -- by id of a client: its session items by node id, with their properties
metadata = nil
key = "recorder-guard.microphone"
version = "1"

function isAllowed (id)
  local client = clients[id]
  local value = metadata and metadata:find (id, key)
  return client ~= nil and value == "allow " .. tostring (client.properties["object.serial"])
end

-- create-item.lua registers an item before it is active, and again afterwards. The policy links only active items.
function hold (item)
  local client = tonumber (item.properties["client.id"])
  local node = item:get_associated_proxy ("node")
  if client == nil or (streams[client] and streams[client][node["bound-id"]]) then return end
  local stream = { item = item, autoconnect = node.properties["node.autoconnect"], properties = {}, isHeld = false }
  for name, value in pairs (item.properties) do stream.properties[name] = value end
  stream.properties["item.node"] = node
  streams[client] = streams[client] or {}
  streams[client][node["bound-id"]] = stream
  if isAllowed (client) then return end
  stream.isHeld, stream.properties["node.autoconnect"] = true, "false"
  item:configure (stream.properties)
end

function release (stream)
  if stream.properties["node.autoconnect"] == stream.autoconnect then
    stream.item:register ()
    return
  end
  stream.item:remove ()
  stream.properties["node.autoconnect"] = stream.autoconnect
  stream.item:configure (stream.properties)
  stream.item:activate (Features.ALL, function (item, failure)
    if failure then
      Log.warning (item, "cannot configure: " .. tostring (failure))
    else
      item:register ()
    end
  end)
end

-- The policy removes the links of an item that is no longer registered.
function apply (client)
  local allowed = isAllowed (client)
  for _, stream in pairs (streams[client] or {}) do
    if stream.isHeld and allowed then
      release (stream)
    elseif not (stream.isHeld or allowed) then
      stream.item:remove ()
    end
    stream.isHeld = not allowed
  end
end

clientManager = ObjectManager { Interest { type = "client" } }
clientManager:connect ("object-added", function (_, client) clients[client["bound-id"]] = client end)
clientManager:connect ("object-removed", function (_, client)
  clients[client["bound-id"]] = nil
  streams[client["bound-id"]] = nil
end)

itemManager = ObjectManager {
  Interest {
    type = "SiLinkable",
    Constraint { "media.class", "=", "Stream/Input/Audio" },
    Constraint { "active-features", "=", 0, type = "gobject" },
  }
}
itemManager:connect ("object-added", function (_, item) hold (item) end)

metadataManager = ObjectManager { Interest { type = "metadata", Constraint { "metadata.name", "=", "default" } } }
metadataManager:connect ("object-added", function (_, object)
  metadata = object
  object:set (0, "recorder-guard.version", "Spa:String", version)
  object:connect ("changed", function (_, subject, changed)
    if changed == key then apply (subject) end
  end)
end)

-- A stream can end before its program.
nodeManager = ObjectManager { Interest { type = "node", Constraint { "media.class", "=", "Stream/Input/Audio" } } }
nodeManager:connect ("object-removed", function (_, node)
  for _, nodes in pairs (streams) do nodes[node["bound-id"]] = nil end
end)

clientManager:activate ()
nodeManager:activate ()
metadataManager:activate ()
itemManager:activate ()
