import { Button } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { wordFor } from '../parts/word-for.ts'
import { text } from './text.ts'

type Letter = OutputOf<'listDeadLetters'>['items'][number]

/** Undelivered messages. */
export const OutboxPage = () => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const letters = useRead('listDeadLetters', {}, { every: 15_000 })
  const columns: Column<Letter>[] = [
    { key: 'kind', header: say.kind, cell: ({ kind }) => wordFor(say.kinds, kind) },
    {
      key: 'account',
      header: account,
      cell: ({ accountId }) => (accountId === undefined ? say.installation : <AccountLink accountId={accountId} />),
    },
    { key: 'error', header: say.error, cell: ({ lastError }) => lastError },
    { key: 'attempts', header: say.attempts, align: 'right', cell: ({ attempts }) => attempts },
    { key: 'created', header: say.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
  ]
  return (
    <Page title={say.title} description={say.description}>
      <Section flush>
        <List
          query={letters}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowActions={(letter) => <Revive letter={letter} />}
          empty={
            <EmptyState icon="check" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
    </Page>
  )
}

const Revive = ({ letter: { id } }: { letter: Letter }) => {
  const say = useText(text)
  const toast = useToast()
  const revive = useWrite('reviveDeadLetter', { refreshes: ['listDeadLetters'], onDone: () => toast.done(say.revived) })
  return (
    <Button
      size="xs"
      variant="default"
      loading={revive.isPending}
      onClick={() => revive.mutate([{ messageId: id }], { onError: toast.failed })}
    >
      {say.revive}
    </Button>
  )
}
