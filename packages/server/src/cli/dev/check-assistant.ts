import { once } from 'node:events'
import { connect } from 'node:net'
import { startCommand } from '#places.ts'
import type { Flow } from '../connection/choose-flow.ts'
import type { Connection } from '../connection/connection.ts'
import { harmless, overBar } from '../terminal/paint.ts'

const connectTimeoutMs = 3_000

/** Warns immediately if the assistant is not running. It may be started later, so this is not an error. */
export const checkWebhook = async (address: string): Promise<void> => {
  const { hostname, port, protocol } = new URL(address)
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (protocol === 'https:' ? 443 : 80)) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) })
  } catch {
    warn(`nothing answers at ${address} yet. Start your assistant; events go there as soon as it listens.`)
  } finally {
    socket.destroy()
  }
}

/** The service opens the WebSocket and may be unable or forbidden to. A sample event reveals it. */
export const checkWebSocket = async ({ api }: Connection, { id }: Flow, address: string): Promise<void> => {
  const trial = await api.testFlow({ aiFlowId: id }, { event: 'session_start', channel: 'websocket' }).catch(() => undefined)
  if (trial?.error === undefined) return
  const { host } = new URL(address)
  const advice = /not public/.test(trial.error)
    ? `It may when it is started with OFFHOOK_EGRESS_ALLOW=${host} ${startCommand}. Or end it, and run this again: a service that dev starts may.`
    : 'Is your assistant running?'
  warn(`the service has no connection to ${address}: ${harmless(trial.error)}\n${advice}`)
}

const warn = (text: string): void => console.error(overBar(`offhook: ${text}`, process.stderr))
