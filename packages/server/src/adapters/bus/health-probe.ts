import { get } from 'node:http'

/** Whether the process there answers anything at `/health`. */
export const healthProbe = (http: string, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    // A separate connection: a keep-alive one would say nothing about a process that was replaced.
    const asked = get(`${http}/health`, { agent: false, timeout: ms }, (reply) => {
      reply.resume()
      reply.once('close', () => resolve(true))
    })
    const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), ms)
    asked.once('error', () => resolve(false))
    asked.once('close', () => clearTimeout(timer))
  })
