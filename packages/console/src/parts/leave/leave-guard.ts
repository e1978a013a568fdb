import { useEffect, useEffectEvent } from 'react'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { text } from '../text.ts'

type Navigate<Options> = (to: string, options?: Options) => void

/** The page that is not to be left without asking; at most one is open. */
let guarded: { ask: () => Promise<boolean>; href: string } | undefined

const leaveIfWanted = async (leave: () => void): Promise<void> => {
  if (!(await guarded?.ask())) return
  guarded = undefined
  leave()
}

/** Around every way that leads to another page, by a link or by the program: `<Router aroundNav={askFirst}>`. */
export const askFirst = <Options>(navigate: Navigate<Options>, to: string, options?: Options): void => {
  const leaves = to.split('?')[0] !== location.pathname
  if (guarded === undefined || !leaves) navigate(to, options)
  else void leaveIfWanted(() => navigate(to, options))
}

/**
 * Browsers go back before anybody can say no. So the page is put back into the history, and left once more when the person agrees. Called before
 * the router listens: who listens first can keep it from others.
 */
export const guardHistory = (): void =>
  addEventListener('popstate', (event) => {
    if (guarded === undefined || guarded.href === location.href) return
    event.stopImmediatePropagation()
    history.pushState(null, '', guarded.href)
    void leaveIfWanted(() => history.back())
  })

/** As long as something is not saved, leaving the page asks first: links, the button Back, closing the window. */
export const useLeaveGuard = (unsaved: boolean): void => {
  const say = useText(text)
  const confirm = useConfirm()
  const question = useEffectEvent(() => confirm({ title: say.leaveTitle, body: say.leaveBody, confirm: say.leave }))
  useEffect(() => {
    if (!unsaved) return undefined
    const own = { ask: () => question(), href: location.href }
    guarded = own
    addEventListener('beforeunload', preventLeaving)
    return () => {
      if (guarded === own) guarded = undefined
      removeEventListener('beforeunload', preventLeaving)
    }
  }, [unsaved])
}

const preventLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()
