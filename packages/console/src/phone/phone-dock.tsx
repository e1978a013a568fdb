import { lazy, Suspense, useEffect } from 'react'
import { useSession } from '#api/session.ts'
import { useMay } from '#api/use-may.ts'
import { phoneLine, ringsHere, usePhone } from '#api/phone/phone-line.ts'

/** The file of the telephone. */
const loadChunk = () => import('./phone-chunk.ts')
phoneLine.provide(() =>
  loadChunk().then(
    ({ Phone }) =>
      (deps) =>
        new Phone(deps),
  ),
)
const OtherWays = lazy(() => import('./transports/other-ways.tsx').then((module) => ({ default: module.OtherWays })))
const CallBar = lazy(() => loadChunk().then((chunk) => ({ default: chunk.CallBar })))

/** When the browser is idle or, without support, a little later. */
const whenIdle = (work: () => void): (() => void) => {
  if ('requestIdleCallback' in globalThis) {
    const id = requestIdleCallback(work, { timeout: 3_000 })
    return () => cancelIdleCallback(id)
  }
  const timer = setTimeout(work, 1_000)
  return () => clearTimeout(timer)
}

/** Accept was clicked in a notification. */
const useAnswerOfNotification = (): void => {
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return undefined
    const hear = ({ data }: MessageEvent<{ type?: string; callId?: string }>): void => {
      const { type, callId } = data
      if (type === 'answer' && callId !== undefined) phoneLine.wish((phone) => phone.accept(callId))
    }
    navigator.serviceWorker.addEventListener('message', hear)
    return () => navigator.serviceWorker.removeEventListener('message', hear)
  }, [])
}

/** Mount point of the telephone above all pages. Nothing of it is loaded before it should ring, or a call is made. */
export const PhoneDock = () => {
  const { state, calls, failure, microphoneProblem, asked } = usePhone()
  const { token, person } = useSession('user')
  const mayCall = useMay()('CAN_INITIATE_CALLS')
  useAnswerOfNotification()
  const rings = token !== undefined && mayCall
  useEffect(() => {
    if (!rings || !ringsHere()) return undefined
    return whenIdle(() => phoneLine.wish((phone) => phone.ring(true)))
  }, [rings, person])
  const isQuiet = state === 'off' && calls.length === 0 && failure === undefined && microphoneProblem === undefined
  return (
    <Suspense fallback={null}>
      {!isQuiet && <CallBar />}
      {asked && <OtherWays {...asked} onClose={() => phoneLine.change({ asked: undefined })} />}
    </Suspense>
  )
}
