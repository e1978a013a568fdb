// Loaded into a program by a test: at SIGUSR2 its main thread spins in microtasks for ever.
import { isMainThread } from 'node:worker_threads'

const spinForEver = async () => {
  for (;;) await Promise.resolve()
}

if (isMainThread) process.on('SIGUSR2', () => void spinForEver())
