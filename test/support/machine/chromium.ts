import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

const executable = '/usr/bin/chromium'
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--remote-debugging-port=0',
  '--autoplay-policy=no-user-gesture-required',
  '--allow-loopback-in-peer-connection',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
]

export interface Page {
  /** Runs JavaScript in the page, and returns the result of its promise. */
  evaluate<T>(code: string): Promise<T>
}

interface Reply {
  id: number
  sessionId?: string
  error?: { message: string }
  result?: {
    targetInfos?: { targetId: string; type: string }[]
    sessionId?: string
    result?: { value: unknown }
    exceptionDetails?: { text: string; exception?: { description?: string } }
  }
}

/** Real browser with one empty page, controlled by its debugging protocol. */
export const openPage = async (t: TestContext): Promise<Page> => {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  const child = spawn(executable, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  let socket: WebSocket | undefined
  t.after(async () => {
    socket?.close()
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await exited
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const open = new WebSocket(await debuggerUrl(child.stderr))
  socket = open
  await new Promise((resolve, reject) => {
    open.addEventListener('open', resolve)
    open.addEventListener('error', reject)
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  open.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply
    waiting.get(reply.id)?.(reply)
  })
  let id = 0
  const ask = async (method: string, params: object, sessionId?: string): Promise<NonNullable<Reply['result']>> => {
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(++id, resolve)
      open.send(JSON.stringify({ id, method, params, sessionId }))
    })
    if (reply.error) throw new Error(reply.error.message)
    return reply.result ?? {}
  }
  const { targetInfos = [] } = await ask('Target.getTargets', {})
  const target = targetInfos.find(({ type }) => type === 'page')
  const { sessionId } = await ask('Target.attachToTarget', { targetId: target?.targetId, flatten: true })
  return {
    async evaluate<T>(code: string): Promise<T> {
      const { result, exceptionDetails } = await ask(
        'Runtime.evaluate',
        { expression: code, awaitPromise: true, returnByValue: true },
        sessionId,
      )
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result?.value as T
    },
  }
}

const debuggerUrl = async (stderr: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: stderr })) {
    const url = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (url !== undefined) {
      stderr.resume()
      return url
    }
  }
  throw new Error('chromium ended before it was ready')
}
