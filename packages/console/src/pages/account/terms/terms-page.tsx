import { Button, Group, Stack, Text } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const TermsPage = () => {
  const say = useText(text)
  const terms = useRead('getTacs')
  return (
    <Page title={say.title} description={say.lead} width="narrow">
      <Section>
        <Loaded query={terms}>{({ accepted }) => <Acceptance accepted={accepted} />}</Loaded>
      </Section>
    </Page>
  )
}

const Acceptance = ({ accepted }: { accepted: boolean }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const set = useWrite('setTacs', { refreshes: ['getTacs'], onDone: () => toast.done(say.done) })
  const write = (value: boolean): void => set.mutate([{}, { accepted: value }], { onError: (error) => toast.failed(error) })
  const revoke = async (): Promise<void> => {
    if (await confirm({ title: say.revokeTitle, body: say.revokeBody, confirm: say.revoke })) write(false)
  }
  return (
    <Stack align="flex-start">
      <Group>
        <StatusBadge tone={accepted ? 'good' : 'warning'}>{accepted ? say.accepted : say.notAccepted}</StatusBadge>
      </Group>
      <Text>{say.ask}</Text>
      {accepted ? (
        <Button variant="default" loading={set.isPending} onClick={() => void revoke()}>
          {say.revoke}
        </Button>
      ) : (
        <Button loading={set.isPending} onClick={() => write(true)}>
          {say.accept}
        </Button>
      )}
    </Stack>
  )
}
