import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FaxAudioSettings } from '#media/fax/engine.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'

export type ModemCommand =
  | { do: 'configure'; settings: FaxAudioSettings }
  | { do: 'event'; event: 'connected' | 'answered' | 'busy' | 'no answer' | 'hung up' }

export type ModemNotice = { tell: 'ready'; port: number } | { tell: 'dial'; number: string } | { tell: 'answer' | 'hung up' | 'data' }

/** Fax modem at a terminal of its own, with RTP at the other end. */
export class EfaxModem {
  /** RTP port. */
  port = 0
  /** Called with the computer's commands. */
  onNotice: (notice: ModemNotice) => void = () => {}
  readonly terminal: string
  readonly #process: ChildProcess
  readonly #cable: PeerProcess

  private constructor(terminal: string, process: ChildProcess, cable: PeerProcess) {
    this.terminal = terminal
    this.#process = process
    this.#cable = cable
    process.on('message', (notice: ModemNotice) => {
      if (notice.tell === 'ready') this.port = notice.port
      this.onNotice(notice)
    })
  }

  static async start(t: Scope, folder: string): Promise<EfaxModem> {
    const terminal = join(folder, 'modem')
    const socket = `${terminal}.socket`
    const cable = startPeer(t, 'socat', [`PTY,link=${terminal},raw,echo=0`, `UNIX-LISTEN:${socket}`], folder)
    await until('the cable of the modem', () => stat(socket).then(Boolean, () => undefined))
    const modem = new EfaxModem(
      terminal,
      fork(join(import.meta.dirname, 'efax-modem-process.ts'), [socket], { serialization: 'advanced' }),
      cable,
    )
    t.after(() => modem.kill())
    await until('the modem', () => modem.port || undefined)
    return modem
  }

  notify(command: ModemCommand): void {
    if (this.#process.connected) this.#process.send(command, () => {})
  }

  async kill(): Promise<void> {
    const running = this.#process.exitCode === null && this.#process.signalCode === null
    const exited = running ? once(this.#process, 'exit') : undefined
    this.#process.kill('SIGKILL')
    await exited
    await this.#cable.stop()
  }
}
