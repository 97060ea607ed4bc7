-- Keeps WirePlumber 0.4 from linking a capture stream before the guard has decided.
--
-- PipeWire 0.3.65 does not check links, so this closes only the time until the guard destroys a link. The guard writes
-- into the metadata object "default": the subject is the id of a client, the key "recorder-guard.microphone", the value
-- "allow" or "refuse", a space, and the object.serial of this client.

clients = {}
held = {} -- by id of a client: its session items that wait for a decision, with their properties
metadata = nil
key = "recorder-guard.microphone"

function isAllowed (id)
  local client = clients[id]
  local value = metadata and metadata:find (id, key)
  return client ~= nil and value == "allow " .. tostring (client.properties["object.serial"])
end

-- create-item.lua registers an item before it is active, and again afterwards. The policy links only active items.
function hold (item)
  local client = tonumber (item.properties["client.id"])
  if client == nil or isAllowed (client) then return end
  local node = item:get_associated_proxy ("node")
  local properties = {}
  for name, value in pairs (item.properties) do properties[name] = value end
  properties["item.node"] = node
  properties["node.autoconnect"] = "false"
  held[client] = held[client] or {}
  held[client][node["bound-id"]] = { item = item, autoconnect = node.properties["node.autoconnect"], properties = properties }
  item:configure (properties)
end

function release (client)
  for _, entry in pairs (held[client] or {}) do
    local item = entry.item
    entry.properties["node.autoconnect"] = entry.autoconnect
    item:remove ()
    item:configure (entry.properties)
    item:activate (Features.ALL, function (active, failure)
      if failure then
        Log.warning (active, "cannot release: " .. tostring (failure))
      else
        active:register ()
      end
    end)
  end
  held[client] = nil
end

clientManager = ObjectManager { Interest { type = "client" } }
clientManager:connect ("object-added", function (_, client) clients[client["bound-id"]] = client end)
clientManager:connect ("object-removed", function (_, client)
  clients[client["bound-id"]] = nil
  held[client["bound-id"]] = nil
end)

itemManager = ObjectManager {
  Interest {
    type = "SiLinkable",
    Constraint { "media.class", "=", "Stream/Input/Audio" },
    Constraint { "active-features", "=", 0, type = "gobject" },
  }
}
itemManager:connect ("object-added", function (_, item)
  if not held[tonumber (item.properties["client.id"])] then hold (item) end
end)

metadataManager = ObjectManager { Interest { type = "metadata", Constraint { "metadata.name", "=", "default" } } }
metadataManager:connect ("object-added", function (_, object)
  metadata = object
  object:connect ("changed", function (_, subject, changed)
    if changed == key and isAllowed (subject) then release (subject) end
  end)
end)

clientManager:activate ()
metadataManager:activate ()
itemManager:activate ()
