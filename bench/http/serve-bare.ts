import Fastify from 'fastify'

/** Baseline: Fastify with one route that answers the given bytes. */
const bytes = process.argv[2] ?? ''
const app = Fastify()
app.get('/v1/account', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
console.log(JSON.stringify({ ready: true, http: await app.listen({ host: '127.0.0.1', port: 0 }) }))
