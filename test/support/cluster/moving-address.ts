import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NetworkMachine } from '../machine/network-machine.ts'
import { until, type PeerProcess } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import type { Edge } from './edge.ts'

const shipped = join(import.meta.dirname, '../../../deploy/keepalived')

/** Addresses in the shipped configuration: the one that moves, and those of the two machines. */
export const movingAddress = '10.0.0.1'
export const edgeAddresses = ['10.0.0.2', '10.0.0.3'] as const

/** The two machines of `edgeAddresses` with the shipped configuration of keepalived. */
export class MovingAddress {
  readonly #t: Scope
  readonly #machines: readonly NetworkMachine[]

  constructor(t: Scope, machines: readonly NetworkMachine[]) {
    this.#t = t
    this.#machines = machines
  }

  /** Lets programs open the address on both machines. */
  async prepare(): Promise<void> {
    for (const machine of this.#machines) await machine.run(['sysctl', '-q', '-p', join(shipped, '90-offhook-edge.conf')])
  }

  async startKeepalived(machine: NetworkMachine, edge: Edge): Promise<PeerProcess> {
    const folder = await temporaryFolder(this.#t)
    const check = join(folder, 'check-edge')
    await copyFile(join(shipped, 'check-edge'), check)
    const [own, other] = edgeAddresses
    const swapped: Record<string, string> = machine.address === own ? {} : { [own]: other, [other]: own }
    const text = await readFile(join(shipped, 'keepalived.conf'), 'utf8')
    const here = text.replaceAll(/10\.0\.0\.\d/g, (place) => swapped[place] ?? place).replace('/etc/keepalived/check-edge', check)
    const file = join(folder, 'keepalived.conf')
    await writeFile(file, here)
    const settings = [`EDGE_RUN=${edge.folder}`, `EDGE_PORTS=${edge.sip.split(':')[1]}`]
    const pids = ['-p', join(folder, 'pid'), '-r', join(folder, 'vrrp'), '-c', join(folder, 'checkers')]
    return machine.start(this.#t, 'env', [...settings, 'keepalived', '-n', '-l', '-f', file, ...pids], folder)
  }

  /** Waits until exactly this machine has the address. */
  async isAt(machine: NetworkMachine): Promise<void> {
    await until(`${machine.address} has the address`, async () => {
      const held = await Promise.all(this.#machines.map((each) => each.addresses()))
      const owners = this.#machines.filter((_, index) => held[index]?.includes(movingAddress))
      return (owners.length === 1 && owners[0] === machine) || undefined
    })
  }
}
