import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running service tells the commands on its machine: `instance.json` in its data folder. */
export interface InstanceNotes {
  /** Of this run; `/health` says it, too. */
  instance: string
  pid: number
  version: string
  startedAt: string
  /** Of Node. */
  node: string
  /** Where it listens, by what is spoken there. */
  addresses: { http: string; https?: string; sip: string } & Partial<Record<'sipTls' | 'sipWs' | 'sipWss' | 'smpp' | 'smpps', string>>
  /** The configuration file that it read. */
  config?: string
}

const nameIn = (folder: string): string => join(folder, 'instance.json')

/** The file of the process that writes it; taken away when that is closed, unless another one has put its own there. */
export class InstanceFile {
  readonly #folder: string
  #written: InstanceNotes | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Whole or not at all, and for its owner only. */
  async write(notes: InstanceNotes): Promise<void> {
    const file = nameIn(this.#folder)
    const draft = `${file}.${notes.pid}`
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(notes, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
    this.#written = notes
  }

  async close(): Promise<void> {
    if (this.#written === undefined) return
    const found = await readInstance(this.#folder)
    if (found?.instance === this.#written.instance) await rm(nameIn(this.#folder), { force: true })
  }
}

/** What the file says; a service that was killed leaves it behind. */
export const readInstance = async (folder: string): Promise<InstanceNotes | undefined> => {
  const text = await readFile(nameIn(folder), 'utf8').catch(() => undefined)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as InstanceNotes)
  } catch {
    return undefined
  }
}
