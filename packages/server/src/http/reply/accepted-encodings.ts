import type { FastifyRequest } from 'fastify'

/** `gzip, br;q=0.5, zstd;q=0` → gzip and br. */
export const acceptedEncodings = ({ headers }: FastifyRequest): Set<string> =>
  new Set(
    (headers['accept-encoding'] ?? '').split(',').flatMap((entry) => {
      const [name = '', ...parameters] = entry
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name]
    }),
  )
