import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Scope } from '../machine/temporary-folder.ts'
import { startLoopbackServer } from '../http/loopback-server.ts'
import { ScriptedModel, type Step } from './scripted-model.ts'

export interface ModelServer {
  /** Base URL for the settings of an assistant. */
  readonly url: string
  /** Address for OFFHOOK_EGRESS_ALLOW. */
  readonly address: string
  readonly model: ScriptedModel
}

/** Scripted model over HTTP, on a free port. */
export const startModelServer = async (t: Scope, script: readonly Step[] = []): Promise<ModelServer> => {
  const model = new ScriptedModel(script)
  const address = await startLoopbackServer(t, (request, response) => void reply(model, request, response))
  return { url: `http://${address}/v1`, address, model }
}

const reply = async (model: ScriptedModel, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const left = new AbortController()
  response.on('close', () => !response.writableFinished && left.abort())
  try {
    const pieces: Buffer[] = []
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const body = Buffer.concat(pieces).toString()
    const { status, headers, chunks } = await model.answer(pathname, request.headers as Record<string, string>, body, left.signal)
    response.writeHead(status, headers).flushHeaders()
    for await (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain', { signal: left.signal })
    response.end()
  } catch {
    response.destroy() // drops the connection as scripted
  }
}

// Manual start: node test/support/model/model-server.ts PORT [script.json]
if (import.meta.main) {
  const [port = '3903', file] = process.argv.slice(2)
  const script = file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Step[])
  const model = new ScriptedModel(script)
  const server = createServer((request, response) => void reply(model, request, response))
  server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/v1`))
}
