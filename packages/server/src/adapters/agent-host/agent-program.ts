import { isMainThread } from 'node:worker_threads'
import { serve } from '@offhook/agent/serve.ts'
import { reportMemory } from '#media/thread/thread.ts'

if (!isMainThread) reportMemory()
serve()
