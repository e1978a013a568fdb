import { watchTimeline } from '@offhook/sdk/watch-timeline.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'
import { overBar } from './terminal/paint.ts'
import { linesOf } from './terminal/timeline-lines.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'

export interface TailOptions extends ConnectionOptions {
  call?: string
  flow?: string
  json?: boolean
  bytes?: boolean
  /** Ends it; default: Ctrl-C. */
  signal?: AbortSignal
}

/** Prints events of calls live. A single call: until it ends. */
export const tail = async (options: TailOptions): Promise<void> => {
  const connection = await connect(options)
  const { baseUrl, token } = connection
  try {
    const flowId = options.flow === undefined ? undefined : (await chooseFlow(connection, options.flow)).id
    const signal = options.signal ?? untilInterrupted()
    let known = ''
    const onState = (state: 'live' | 'broken'): void => {
      if (state !== known) console.error(overBar(stateLine(state, baseUrl), process.stderr))
      known = state
    }
    for await (const entry of watchTimeline({ baseUrl, token, callId: options.call, flowId, signal, onState })) {
      console.log(options.json === true ? JSON.stringify(entry) : overBar(linesOf(entry, options)))
      if (options.call !== undefined && entry.kind === 'call' && entry.state === 'ended') return
    }
  } catch (error) {
    throw inWords(error, baseUrl)
  }
}

const stateLine = (state: 'live' | 'broken', baseUrl: string): string =>
  state === 'live' ? `offhook: listening to ${baseUrl}` : `offhook: ${baseUrl} cannot be reached; trying again until it can`
