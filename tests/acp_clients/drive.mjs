// Drive an agent through one prompt by a client of the official SDK, and print what came of it as JSON.
// node drive.mjs (sdk-1|sdk-2) (allow|reject|cancel|terminal) DIRECTORY COMMAND...
// `terminal`: allow, and run commands in terminals of the client.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [version, policy, cwd, command, ...args] = process.argv.slice(2);
const acp = await import(version === "sdk-1" ? "sdk-1" : "@agentclientprotocol/sdk");
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

const terminals = new Map();

function opened(params) {
  const env = Object.fromEntries((params.env ?? []).map((one) => [one.name, one.value]));
  const child = spawn(params.command, params.args ?? [], { cwd: params.cwd, env: { ...process.env, ...env } });
  const terminal = { child, output: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (terminal.output += data));
  terminal.exit = new Promise((resolve) =>
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal })),
  );
  terminals.set(`terminal-${terminals.size + 1}`, terminal);
  return { terminalId: `terminal-${terminals.size}` };
}

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
    const kind = ["allow", "terminal"].includes(policy) ? "allow_once" : "reject_once";
    const option = params.options.find((one) => one.kind === kind);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  },
  async sessionUpdate(params) {
    seen.push(params.update);
  },
  async createTerminal(params) {
    return opened(params);
  },
  async terminalOutput(params) {
    return { output: terminals.get(params.terminalId).output, truncated: false };
  },
  async waitForTerminalExit(params) {
    return await terminals.get(params.terminalId).exit;
  },
  async killTerminal(params) {
    terminals.get(params.terminalId).child.kill();
    return {};
  },
  async releaseTerminal(params) {
    result.released = params.terminalId;
    return {};
  },
};

async function run(call, notify) {
  const clientCapabilities = { terminal: policy === "terminal" };
  cancel = (sessionId) => notify("session/cancel", { sessionId });
  result.initialized = await call("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
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
  const { session, terminal } = acp.methods.client;
  await acp
    .client({ name: "tests" })
    .onRequest(session.requestPermission, (context) => client.requestPermission(context.params))
    .onRequest(terminal.create, (context) => client.createTerminal(context.params))
    .onRequest(terminal.output, (context) => client.terminalOutput(context.params))
    .onRequest(terminal.waitForExit, (context) => client.waitForTerminalExit(context.params))
    .onRequest(terminal.kill, (context) => client.killTerminal(context.params))
    .onRequest(terminal.release, (context) => client.releaseTerminal(context.params))
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
