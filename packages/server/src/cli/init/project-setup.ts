import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What an assistant is made with. */
export type PackageName = '@offhook/sdk' | '@offhook/agent'

/** What a first assistant finds in its folder, and what has to be done so that it runs there. */
export interface ProjectSetup {
  /** Node here reads no types. */
  needsJs: boolean
  /** Node takes `.js` and `.ts` in this folder for modules. */
  isModule: boolean
  /** Puts beside the assistant what it needs. */
  equip: () => Promise<void>
  /** What that is, after the words "is a first assistant". */
  added: string
  /** What to run first. */
  prepare: string[]
  /** How Node and Offhook are called here. */
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
