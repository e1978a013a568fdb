import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPeerOn, until, type PeerProcess } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import type { Edge } from './edge.ts'
import type { Lan } from './lan.ts'

const shipped = join(import.meta.dirname, '../../../deploy/keepalived')

/** Last part of the address that moves. */
export const movingPlace = 10

/** The two machines of a `Lan` with the shipped configuration of keepalived; only the addresses are the test's own. */
export class MovingAddress {
  readonly #t: Scope
  readonly #lan: Lan

  constructor(t: Scope, lan: Lan) {
    this.#t = t
    this.#lan = lan
  }

  get address(): string {
    return this.#lan.address(movingPlace)
  }

  /** Lets programs open the address on both machines. */
  async prepare(): Promise<void> {
    for (const machine of this.#lan.machines)
      await promisify(execFile)('ip', ['netns', 'exec', machine, 'sysctl', '-q', '-p', join(shipped, '90-offhook-edge.conf')])
  }

  async startKeepalived(machine: string, edge: Edge): Promise<PeerProcess> {
    const folder = await temporaryFolder(this.#t)
    const [own, other] = this.#lan.machines.indexOf(machine) === 0 ? ([1, 2] as const) : ([2, 1] as const)
    const check = join(folder, 'check-edge')
    await copyFile(join(shipped, 'check-edge'), check)
    const places: Record<string, string> = {
      '10.0.0.1': this.address,
      '10.0.0.2': this.#lan.address(own),
      '10.0.0.3': this.#lan.address(other),
    }
    const text = await readFile(join(shipped, 'keepalived.conf'), 'utf8')
    const here = text.replaceAll(/10\.0\.0\.\d/g, (place) => places[place] ?? '').replace('/etc/keepalived/check-edge', check)
    const file = join(folder, 'keepalived.conf')
    await writeFile(file, here)
    const settings = [`EDGE_RUN=${edge.folder}`, `EDGE_PORTS=${edge.sip.split(':')[1]}`]
    const pids = ['-p', join(folder, 'pid'), '-r', join(folder, 'vrrp'), '-c', join(folder, 'checkers')]
    return startPeerOn(this.#t, machine, 'env', [...settings, 'keepalived', '-n', '-l', '-f', file, ...pids], folder)
  }

  /** Waits until exactly this machine has the address. */
  async isAt(machine: string): Promise<void> {
    await until(`${machine} has the address`, async () => {
      const held = await Promise.all(this.#lan.machines.map((each) => this.#lan.addressesOf(each)))
      const owners = this.#lan.machines.filter((_, index) => held[index]?.includes(this.address))
      return owners.join() === machine || undefined
    })
  }
}
