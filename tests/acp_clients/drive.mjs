// Drive an agent through one prompt by a client of the official SDK, and print what came of it as JSON.
// node drive.mjs (sdk-1|sdk-2) (allow|reject|cancel) DIRECTORY COMMAND...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [version, policy, cwd, command, ...args] = process.argv.slice(2);
const acp = await import(version === "sdk-1" ? "sdk-1" : "@agentclientprotocol/sdk");
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

const result = { updates: [], requests: [], replayed: [] };
let seen = result.updates;
let cancel;
const client = {
  async requestPermission(params) {
    result.requests.push(params);
    if (policy === "cancel") {
      await cancel(params.sessionId);
      return { outcome: { outcome: "cancelled" } };
    }
    const kind = policy === "allow" ? "allow_once" : "reject_once";
    const option = params.options.find((one) => one.kind === kind);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  },
  async sessionUpdate(params) {
    seen.push(params.update);
  },
};

async function run(call, notify) {
  cancel = (sessionId) => notify("session/cancel", { sessionId });
  result.initialized = await call("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const session = await call("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text", text: "Make it new." }];
  result.prompted = await call("session/prompt", { sessionId: session.sessionId, prompt });
  result.listed = await call("session/list", { cwd });
  result.moded = await call("session/set_mode", { sessionId: session.sessionId, modeId: "plan" });
  await call("session/close", { sessionId: session.sessionId });
  seen = result.replayed;
  result.loaded = await call("session/load", { sessionId: session.sessionId, cwd, mcpServers: [] });
}

const METHODS = {
  initialize: "initialize",
  "session/new": "newSession",
  "session/prompt": "prompt",
  "session/list": "listSessions",
  "session/set_mode": "setSessionMode",
  "session/close": "closeSession",
  "session/load": "loadSession",
};

if (version === "sdk-1") {
  const connection = new acp.ClientSideConnection(() => client, stream);
  await run(
    (method, params) => (connection[METHODS[method]] ?? connection[`unstable_${METHODS[method]}`]).call(connection, params),
    (_, params) => connection.cancel(params),
  );
} else {
  const { session } = acp.methods.client;
  await acp
    .client({ name: "tests" })
    .onRequest(session.requestPermission, (context) => client.requestPermission(context.params))
    .onNotification(session.update, (context) => client.sessionUpdate(context.params))
    .connectWith(stream, async (context) => {
      await run(
        (method, params) => context.request(method, params),
        (method, params) => context.notify(method, params),
      );
    });
}
agent.stdin.end();
result.exitCode = await new Promise((resolve) => {
  if (agent.exitCode !== null) resolve(agent.exitCode);
  agent.on("exit", resolve);
});
console.log(JSON.stringify(result));
