import { access, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What the operator needs after the first start, in a file that only its owner can read. */
export class FirstRunFile {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'first-run.json')
  }

  /** Safe on the disk, but under a temporary name: whether this start is the first is not decided yet. */
  async draft(id: string, content: object): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    const file = await open(this.#draftOf(id), 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** Gives the draft of this first start its name. Does nothing when that has been done, here or by another process. */
  async publish(id: string): Promise<void> {
    try {
      await rename(this.#draftOf(id), this.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  async exists(): Promise<boolean> {
    return access(this.path).then(
      () => true,
      () => false,
    )
  }

  #draftOf(id: string): string {
    return `${this.path}.${id}`
  }
}
