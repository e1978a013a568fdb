import { createRequire } from 'node:module'

export type Koffi = typeof import('koffi')

/** Throws if koffi has no build for this system. Not imported: parts that work without it must start without it. */
export const loadKoffi = (): Koffi => createRequire(import.meta.url)('koffi') as Koffi

/** Loads a library by the first name that this system knows. Throws the error of the last one. */
export const loadFirst = (koffi: Koffi, [name = '', ...others]: readonly string[]): ReturnType<Koffi['load']> => {
  try {
    return koffi.load(name)
  } catch (error) {
    if (others.length === 0) throw error
    return loadFirst(koffi, others)
  }
}
