import { createContext, Script, type Context } from 'node:vm'
import type { Search } from '@offhook/sdk'

/** Milliseconds of CPU: far more than any honest pattern takes, and too little to affect calls. */
const maxMs = 20
/** For all patterns of a conversation. */
const maxTotalMs = 200

interface Question extends Context {
  source: string
  flags: string
  text: string
}

/** Only a script can be interrupted in the middle of a regular expression. */
const script = new Script('new RegExp(source, flags).exec(text)')

const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Searches the patterns of one conversation. Customers write them: one like /(a+)+$/ would block every call of this process. */
export const limitedSearch = (cpuMs: () => number = threadCpuMs): Search => {
  const question: Question = { source: '', flags: '', text: '' }
  let context: Context | undefined
  let leftMs = maxTotalMs
  return ({ source, flags }, text) => {
    if (leftMs <= 0) throw new Error(`the patterns of this conversation have taken ${maxTotalMs} ms`)
    Object.assign(question, { source, flags, text })
    context ??= createContext(question)
    const endMs = cpuMs() + maxMs
    for (;;) {
      try {
        const match = script.runInContext(context, { timeout: maxMs }) as RegExpExecArray | null
        return match ? { index: match.index, length: match[0].length } : undefined
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        // The timeout is wall time: on a busy machine the thread may have been waiting for a processor.
        if (cpuMs() < endMs) continue
        leftMs -= maxMs
        throw new Error(`it takes longer than ${maxMs} ms`, { cause: error })
      }
    }
  }
}
