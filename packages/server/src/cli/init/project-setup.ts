import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Package that an assistant uses. */
export type PackageName = '@offhook/sdk' | '@offhook/agent'

/** Contents of a first assistant's folder, and the steps to run it there. */
export interface ProjectSetup {
  /** Whether this Node cannot strip types. */
  needsJs: boolean
  /** Whether Node treats `.js` and `.ts` in this folder as modules. */
  isModule: boolean
  /** Installs what the assistant needs. */
  equip: () => Promise<void>
  /** Description of it, after the words "is a first assistant". */
  added: string
  /** Commands to run first. */
  prepare: string[]
  /** Commands for Node and Offhook. */
  node: string
  offhook: string
}

/** Whether a program in this folder can import it. */
export const finds = (folder: string, name: PackageName): boolean => {
  try {
    createRequire(join(folder, 'assistant.js')).resolve(name)
    return true
  } catch {
    return false
  }
}
