import { listen as listenTo, ListenEnded, type Exchange } from '@offhook/sdk'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'
import { harmless, overBar, paint } from './terminal/paint.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'

export interface ListenOptions extends ConnectionOptions {
  flow?: string
  to: string
  /** Whether the caller of this function prints the events itself. */
  quiet?: boolean
  /** Ends it; default: Ctrl-C. */
  signal?: AbortSignal
}

/** Receives the events of a flow and forwards them to an address that only this machine reaches. */
export const listen = async (options: ListenOptions): Promise<void> => {
  const to = webAddress(options.to)
  const connection = await connect(options)
  const { baseUrl, token } = connection
  let isNotified = false
  try {
    const { id: flowId } = await chooseFlow(connection, options.flow)
    await listenTo({
      baseUrl,
      token,
      flowId,
      to,
      signal: options.signal ?? untilInterrupted(),
      onReady: ({ flowName }) => {
        isNotified = false
        console.error(overBar(`offhook: events of ${flowName} go to ${to} as long as this runs`, process.stderr))
      },
      onBroken: (message) => {
        if (!isNotified) console.error(overBar(`offhook: no events come: ${message}; trying again until they do`, process.stderr))
        isNotified = true
      },
      onExchange: (exchange) => (options.quiet === true ? undefined : console.log(exchangeLine(exchange))),
    })
  } catch (error) {
    throw error instanceof ListenEnded ? new Mistake(1, error.message) : inWords(error, baseUrl)
  }
}

export const webAddress = (text: string, scheme: 'http' | 'ws' = 'http'): string => {
  const url = URL.parse(text)
  if (!url || ![`${scheme}:`, `${scheme}s:`].includes(url.protocol) || url.username !== '')
    throw new Mistake(2, `${text} is not an address such as ${scheme}://localhost:3000`)
  return url.href
}

export const exchangeLine = ({ eventType, response, error, durationMs }: Exchange): string => {
  const outcome = error ?? `${response?.status} ${response?.body ?? ''}`.trim()
  const isFine = response !== undefined && response.status < 300
  return `${paint('cyan', eventType.padEnd(18))}${paint('gray', `${durationMs} ms`.padStart(8))}  ${paint(isFine ? 'reset' : 'red', harmless(outcome))}`
}
