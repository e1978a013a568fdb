import { Button } from '@mantine/core'
import { Link } from 'wouter'
import type { Role } from '#api/session.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

export const NotFound = ({ role }: { role: Role }) => {
  const say = useText(text)
  const start = (
    <Button component={Link} href={role === 'operator' ? '/operator' : '/'}>
      {say.toStart}
    </Button>
  )
  return (
    <Page title={say.notFoundTitle} width="narrow">
      <EmptyState icon="search" title={say.notFoundTitle} action={start}>
        {say.notFoundBody}
      </EmptyState>
    </Page>
  )
}

export const Forbidden = () => {
  const say = useText(text)
  return (
    <Page title={say.forbiddenTitle} width="narrow">
      <EmptyState icon="lock" title={say.forbiddenTitle}>
        {say.forbiddenBody}
      </EmptyState>
    </Page>
  )
}
