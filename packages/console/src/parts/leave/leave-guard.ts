import { useEffect, useEffectEvent } from 'react'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { text } from '../text.ts'

type Navigate<Options> = (to: string, options?: Options) => void

interface Guard {
  ask: () => Promise<boolean>
  href: string
}

/** Guards against leaving: a page, and possibly a dialog on it, which is asked first. */
const guards: Guard[] = []

const leaveIfWanted = async (leave: () => void): Promise<void> => {
  if (!(await guards.at(-1)?.ask())) return
  guards.length = 0
  leave()
}

/** Wraps every navigation, by link or by code: `<Router aroundNav={askFirst}>`. */
export const askFirst = <Options>(navigate: Navigate<Options>, to: string, options?: Options): void => {
  const leaves = to.split('?')[0] !== location.pathname
  if (guards.length === 0 || !leaves) navigate(to, options)
  else void leaveIfWanted(() => navigate(to, options))
}

/**
 * Browsers go back before the page can object. So the page is restored in the history, and left again when the person agrees. Called before
 * the router listens: the first listener can stop the event.
 */
export const guardHistory = (): void =>
  addEventListener('popstate', (event) => {
    const guarded = guards.at(-1)
    if (guarded === undefined || guarded.href === location.href) return
    event.stopImmediatePropagation()
    history.pushState(null, '', guarded.href)
    void leaveIfWanted(() => history.back())
  })

interface LeaveWords {
  title: string
  body: string
  confirm: string
}

/** Asks before leaving with unsaved changes: links, Back, closing the window. `words`: text about other losses. */
export const useLeaveGuard = (unsaved: boolean, words?: LeaveWords): void => {
  const say = useText(text)
  const confirm = useConfirm()
  const question = useEffectEvent(() => confirm(words ?? { title: say.leaveTitle, body: say.leaveBody, confirm: say.leave }))
  useEffect(() => {
    if (!unsaved) return undefined
    const own: Guard = { ask: () => question(), href: location.href }
    guards.push(own)
    addEventListener('beforeunload', preventLeaving)
    return () => {
      const at = guards.indexOf(own)
      if (at >= 0) guards.splice(at, 1)
      removeEventListener('beforeunload', preventLeaving)
    }
  }, [unsaved])
}

/** The same for closing a dialog. */
export const useGuardedClose = (unsaved: boolean, close: () => void): (() => void) => {
  const confirm = useConfirm()
  const say = useText(text)
  useLeaveGuard(unsaved)
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.leaveTitle, body: say.leaveBody, confirm: say.leave })) close()
  }
  return unsaved ? () => void ask() : close
}

const preventLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()
