import { isMainThread } from 'node:worker_threads'
import { serve } from '@offhook/agent/serve.ts'
import { tellMemory } from '#media/thread/thread.ts'

if (!isMainThread) tellMemory()
serve()
