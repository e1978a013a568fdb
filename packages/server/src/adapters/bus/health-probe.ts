import { get } from 'node:http'

/** Whether the process there is alive enough to answer anything at `/health`. */
export const healthProbe = (http: string, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    // A connection of its own: one that is kept open would say nothing about a process that was replaced.
    const asked = get(`${http}/health`, { agent: false, timeout: ms }, (reply) => {
      reply.resume()
      reply.once('close', () => resolve(true))
    })
    const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), ms)
    asked.once('error', () => resolve(false))
    asked.once('close', () => clearTimeout(timer))
  })
