import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer, type PeerProcess } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

export interface NatsServer {
  readonly port: number
  /** nats://127.0.0.1:port */
  readonly url: string
  readonly pid: number
  log(): string
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Restarts at the same port after a stop. */
  startAgain(): Promise<void>
}

/** NATS on loopback; `configuration` is appended to its file. */
export const startNats = async (t: Scope, configuration = ''): Promise<NatsServer> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 1)
  const file = join(folder, 'nats.conf')
  await writeFile(file, `listen: "127.0.0.1:${port}"\n${configuration}`)
  const start = async (): Promise<PeerProcess> => {
    const started = startPeer(t, 'nats-server', ['-c', file], folder)
    endBeforeRemoval(folder, () => started.stop())
    await listening(started, 'tcp', port)
    return started
  }
  let peer = await start()
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return peer.pid
    },
    log: () => peer.output(),
    stop: (signal) => peer.stop(signal),
    async startAgain() {
      peer = await start()
    },
  }
}
