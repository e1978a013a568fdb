import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { WaitingRows } from '#parts/page/loaded.tsx'

const InvitationPage = lazy(() => import('../login/invitation-page.tsx').then((part) => ({ default: part.InvitationPage })))
const EmailPage = lazy(() => import('../login/email-page.tsx').then((part) => ({ default: part.EmailPage })))

/** What links in mails lead to: open to everybody who has the link, logged in or not. */
export const isLinked = (location: string): boolean => /^\/(?:invitation|email)\/[\w-]+$/.test(location)

export const LinkedPages = () => (
  <Suspense fallback={<WaitingRows />}>
    <Switch>
      <Route path="/invitation/:nonce" component={InvitationPage} />
      <Route path="/email/:nonce" component={EmailPage} />
    </Switch>
  </Suspense>
)
