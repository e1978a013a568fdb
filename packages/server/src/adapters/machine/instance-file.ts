import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Facts of a running service for commands on its machine: `instance.json` in its data folder. */
export interface InstanceNotes {
  /** Id of this run; also in `/health`. */
  instance: string
  pid: number
  version: string
  startedAt: string
  /** Version of Node. */
  node: string
  /** Listening addresses by protocol. */
  addresses: { http: string; https?: string; sip: string } & Partial<Record<'sipTls' | 'sipWs' | 'sipWss' | 'smpp' | 'smpps', string>>
  /** The configuration file that it read. */
  config?: string
}

const nameIn = (folder: string): string => join(folder, 'instance.json')

/** The file of the running process; removed on close, unless another process has replaced it. */
export class InstanceFile {
  readonly #folder: string
  #written: InstanceNotes | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Atomic, and readable by its owner only. */
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

/** Content of the file; a killed service leaves it behind. */
export const readInstance = async (folder: string): Promise<InstanceNotes | undefined> => {
  const text = await readFile(nameIn(folder), 'utf8').catch(() => undefined)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as InstanceNotes)
  } catch {
    return undefined
  }
}
