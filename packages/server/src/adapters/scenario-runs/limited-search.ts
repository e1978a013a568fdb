import { createContext, Script, type Context } from 'node:vm'
import type { Search } from '@offhook/sdk'

/** Far more than any honest pattern takes, and so little that calls do not suffer. */
const maxMs = 50
/** For all patterns of a conversation. */
const maxTotalMs = 200

interface Question extends Context {
  source: string
  flags: string
  text: string
}

/** Only a script can be interrupted in the middle of a regular expression. */
const script = new Script('new RegExp(source, flags).exec(text)')

/** Looks for the patterns of one conversation. They are of customers: one like /(a+)+$/ would hold up every call of this process. */
export const limitedSearch = (): Search => {
  const question: Question = { source: '', flags: '', text: '' }
  let context: Context | undefined
  let leftMs = maxTotalMs
  return ({ source, flags }, text) => {
    if (leftMs <= 0) throw new Error(`the patterns of this conversation have taken ${maxTotalMs} ms`)
    Object.assign(question, { source, flags, text })
    context ??= createContext(question)
    try {
      const match = script.runInContext(context, { timeout: maxMs }) as RegExpExecArray | null
      return match ? { index: match.index, length: match[0].length } : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      leftMs -= maxMs
      throw new Error(`it takes longer than ${maxMs} ms`, { cause: error })
    }
  }
}
