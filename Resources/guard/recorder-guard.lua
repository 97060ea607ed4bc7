-- Closes the microphone and the sound of other programs to every client that the guard has not allowed.
--
-- The guard writes its decisions into the metadata object "recorder-guard": the subject is the id of a client, the key
-- "microphone", "system" or "links", the value "allow" or "refuse", a space, and the object.serial of this client. Ids
-- are reused, serials are not. The server removes the entries of a client that has left. No entry means undecided.
-- The subject 0 has the key "version" with the version of this interface. The guard uses no other version.
-- Without the guard the entries stay as they are, and a client without one remains closed.

Script.async_activation = true

-- With the argument links = closed, only clients with "links allow" may create links themselves.
local arguments = ...
arguments = arguments and arguments:parse (1) or {}
local areLinksClosed = arguments.links == "closed"

local lutils = require ("linking-utils")
local log = Log.open_topic ("s-recorder-guard")

local clients = {} -- by id: the proxy, its properties, its nodes with inputs, and whether it captures
local microphones = {} -- by node id: the ids of its ports
local owners = {} -- by id of a node: the id of the client that created it
local cards = {} -- by id of a node: whether the server may have opened a sound card for it
decisions = ImplMetadata ("recorder-guard")
local version = "1"
local nodesWithInputs = {} -- by node id: the media class
local linkFactory
local ownProcess
local source

local function decide (client, service)
  local value = decisions:find (client.id, service)
  local word, serial = tostring (value):match ("^(%a+) (%d+)$")
  if serial ~= client.serial then return "undecided" end
  return word
end

-- The server's own nodes have a client without a process. WirePlumber's clients have ours.
local function isTrusted (client)
  return client == nil or client.process == nil or client.process == ownProcess
end

local function isAllowed (client, service)
  return isTrusted (client) or decide (client, service) == "allow"
end

-- A capture stream has monitor ports, which repeat the microphone.
local function isMicrophone (class)
  return class == "Audio/Duplex" or class == "Stream/Input/Audio" or class:find ("^Audio/Source") ~= nil
end

-- A program can ask the server to open a sound card for it. Such a node has the program's client and any class. A
-- program can also claim this about its own node.
local function isCard (properties)
  local factory = properties ["factory.name"] or ""
  return factory:find ("^api%.alsa%..*source$") ~= nil or factory:find ("^api%.bluez5%..*source$") ~= nil
end

-- Whether the sound of a node comes from the client itself.
local function isOwn (node, client)
  return owners [node] == client.id and not cards [node]
end

-- The permissions of an allowed client. A sandboxed client never has more than the access scripts give it.
local function permission (client)
  local properties = client.proxy.properties
  local access = properties ["pipewire.access.effective"]
  if properties ["pipewire.access"] == "portal" then return "-" end
  if properties ["pipewire.snap.id"] and properties ["pipewire.snap.audio.record"] ~= "true" then return "-" end
  return (access == "flatpak" or access == "restricted") and "rx" or "all"
end

-- The server checks a link against the permissions of the node, and existing links when a port's permissions change.
local function applyMicrophone (client)
  if isTrusted (client) or not (client.captures or client.closed) then return end
  local allowed = decide (client, "microphone") == "allow"
  local wanted = allowed and permission (client) or "-"
  local changes, isEmpty = {}, true
  for node, ports in pairs (microphones) do
    -- A program can always see its own nodes.
    if not isOwn (node, client) then
      changes [node], isEmpty = wanted, false
      for port in pairs (ports) do changes [port] = wanted end
    end
  end
  client.closed = not allowed
  if not isEmpty then client.proxy:update_permissions (changes) end
end

local function service (node)
  return microphones [node] and "microphone" or "system"
end

-- Whether a link with these nodes gives a client sound that it may not have.
local function isForbidden (output, input)
  local reader = clients [owners [input]]
  if isTrusted (reader) or not reader.inputs [input] or isOwn (output, reader) then return false end
  -- A virtual speaker may receive the sound that is played on it, but not the microphone.
  if reader.inputs [input] == "Audio/Sink" and service (output) == "system" then return false end
  return not isAllowed (reader, service (output))
end

local function destroyForbiddenLinks ()
  for link in linkManager:iterate () do
    local properties = link.properties
    if isForbidden (tonumber (properties ["link.output.node"]), tonumber (properties ["link.input.node"])) then
      link:request_destroy ()
    end
  end
end

-- A program that creates a stream and links it in one step would be faster than this script.
local function applyLinks (client)
  if not (areLinksClosed and linkFactory) or isTrusted (client) or client.isManager then return end
  client.proxy:update_permissions { [linkFactory] = decide (client, "links") == "allow" and permission (client) or "-" }
end

local function capture (client, node)
  if isTrusted (client) then return end
  client.inputs [node] = nodesWithInputs [node]
  if not client.captures then
    client.captures = true
    applyMicrophone (client)
  end
  destroyForbiddenLinks ()
end

-- Clients must not change the permissions of each other, nor the decisions. The server never lets a client raise its
-- own permissions.
local function protect (client)
  local changes = { [decisions ["bound-id"]] = client.others }
  for id, other in pairs (clients) do
    if id ~= client.id then
      changes [id] = client.others
      if not other.isManager then other.proxy:update_permissions { [client.id] = other.others } end
    end
  end
  if not client.isManager then client.proxy:update_permissions (changes) end
end

-- Objects that only locals refer to are collected after the script has run.
clientManager = ObjectManager { Interest { type = "client" } }

clientManager:connect ("object-added", function (_, proxy)
  local properties = proxy.properties
  -- Portals and snaps see no other clients. Any program can claim to be a snap, so this must not give it more rights.
  local isHidden = properties ["pipewire.access"] == "portal" or properties ["pipewire.snap.id"]
  local client = {
    proxy = proxy, id = proxy ["bound-id"], serial = properties ["object.serial"],
    process = properties ["pipewire.sec.pid"], inputs = {},
    isManager = properties ["pipewire.access"] == "unrestricted",
    others = isHidden and "-" or "r" -- its permissions for other clients and for the decisions
  }
  if client.id == Core.get_own_bound_id () then ownProcess = client.process end
  clients [client.id] = client
  protect (client)
  applyLinks (client)
  for node, owner in pairs (owners) do
    if owner == client.id and nodesWithInputs [node] then capture (client, node) end
  end
  -- A stream of this client may have been held because the client was not known yet.
  if source then source:call ("schedule-rescan", "linking") end
end)

clientManager:connect ("object-removed", function (_, proxy)
  clients [proxy ["bound-id"]] = nil
end)

nodeManager = ObjectManager { Interest { type = "node" } }

nodeManager:connect ("object-added", function (_, node)
  local properties, id = node.properties, node ["bound-id"]
  local class = properties ["media.class"] or ""
  owners [id], cards [id] = tonumber (properties ["client.id"]), isCard (properties) or nil
  if isMicrophone (class) or cards [id] then
    microphones [id] = microphones [id] or {}
    for _, client in pairs (clients) do applyMicrophone (client) end
  end
  -- A program can give a wrong class, so its ports count as well. They can appear before the node.
  if class ~= "Stream/Output/Audio" or nodesWithInputs [id] then
    nodesWithInputs [id] = class
    local client = clients [owners [id]]
    if client then capture (client, id) end
  end
end)

nodeManager:connect ("object-removed", function (_, node)
  local id = node ["bound-id"]
  local client = clients [owners [id]]
  if client then client.inputs [id] = nil end
  microphones [id], owners [id], cards [id], nodesWithInputs [id] = nil, nil, nil, nil
end)

portManager = ObjectManager { Interest { type = "port" } }

portManager:connect ("object-added", function (_, port)
  local properties, id = port.properties, port ["bound-id"]
  local node = tonumber (properties ["node.id"])
  if microphones [node] then
    microphones [node][id] = true
    for _, client in pairs (clients) do applyMicrophone (client) end
  end
  if properties ["port.direction"] == "in" then
    nodesWithInputs [node] = nodesWithInputs [node] or "unknown"
    local client = clients [owners [node]]
    if client then capture (client, node) end
  end
end)

portManager:connect ("object-removed", function (_, port)
  local ports = microphones [tonumber (port.properties ["node.id"])]
  if ports then ports [port ["bound-id"]] = nil end
end)

-- Keeps the policy from linking a stream that may not have the sound of its target.
SimpleEventHook {
  name = "recorder-guard/hold",
  after = "linking/get-filter-from-target",
  before = "linking/prepare-link",
  interests = { EventInterest { Constraint { "event.type", "=", "select-target" } } },
  execute = function (event)
    local eventSource, _, item, properties, flags, target = lutils:unwrap_select_target_event (event)
    source = eventSource
    if target == nil or properties ["item.node.direction"] ~= "input" then return end
    local owner = tonumber (properties ["client.id"])
    local client = clients [owner]
    -- The client of a stream may not be known yet. A stream that lingers has no client once its program has ended, and
    -- the server's own streams do not linger.
    local isLeft = client == nil and (owner ~= nil or properties ["object.linger"] == "true")
    if not isLeft and isAllowed (client, service (tonumber (target.properties ["node.id"]))) then return end
    local link = flags.peer_id and lutils.lookupLink (item.id, flags.peer_id)
    if link then link:remove () end
    -- A stream that must not be moved to another target can return to this one.
    flags.peer_id, flags.was_handled = nil, nil
    log:info (item, "held: " .. tostring (properties ["node.name"]))
    event:stop_processing ()
  end
}:register ()

factoryManager = ObjectManager {
  Interest { type = "factory", Constraint { "factory.name", "=", "link-factory" } }
}

factoryManager:connect ("object-added", function (_, factory)
  linkFactory = factory ["bound-id"]
  for _, client in pairs (clients) do applyLinks (client) end
end)

linkManager = ObjectManager { Interest { type = "link" } }
linkManager:connect ("object-added", destroyForbiddenLinks)

decisions:activate (Features.ALL, function (_, failure)
  if failure then
    Script:finish_activation_with_error ("cannot create the guard's metadata: " .. tostring (failure))
    return
  end
  decisions:set (0, "version", "Spa:String", version)
  decisions:connect ("changed", function (_, subject, key)
    local client = clients [subject]
    if client == nil then return end
    log:info ("decision about client " .. subject .. ": " .. tostring (key))
    applyMicrophone (client)
    applyLinks (client)
    destroyForbiddenLinks ()
    if source then source:call ("schedule-rescan", "linking") end
  end)
  clientManager:activate ()
  nodeManager:activate ()
  portManager:activate ()
  linkManager:activate ()
  factoryManager:activate ()
  Script:finish_activation ()
end)
