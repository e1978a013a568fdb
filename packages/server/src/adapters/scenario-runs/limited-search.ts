import { createContext, Script, type Context } from 'node:vm'
import type { Search } from '@offhook/sdk'

/** Far more than any honest pattern takes, and so little that calls do not suffer. */
const mostMs = 50
/** For all patterns of a conversation. */
const mostMsInAll = 200

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
  let leftMs = mostMsInAll
  return ({ source, flags }, text) => {
    if (leftMs <= 0) throw new Error(`the patterns of this conversation have taken ${mostMsInAll} ms`)
    Object.assign(question, { source, flags, text })
    context ??= createContext(question)
    try {
      const match = script.runInContext(context, { timeout: mostMs }) as RegExpExecArray | null
      return match ? { index: match.index, length: match[0].length } : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      leftMs -= mostMs
      throw new Error(`it takes longer than ${mostMs} ms`, { cause: error })
    }
  }
}
