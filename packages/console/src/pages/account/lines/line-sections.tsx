import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

export type Line = OutputOf<'getPhoneline'>

export const LineName = ({ id, line }: { id: LineId; line: Line }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const rename = useWrite('changePhoneline', {
    refreshes: ['getPhoneline', 'listPhonelines', 'listNumbers'],
    onDone: () => toast.done(saved),
  })
  return (
    <Section>
      <SavedText
        label={say.name}
        maxLength={100}
        value={line.alias}
        onSave={(alias) => rename.mutate([{ ...id }, { alias }])}
        pending={rename.isPending}
        problem={rename.error}
      />
    </Section>
  )
}

export const LineNumbers = ({ id }: { id: LineId }) => {
  const say = useText(text)
  const numbers = useRead('listPhonelineNumbers', { ...id }).data?.items
  const change = (
    <Anchor component={Link} href="/numbers" size="sm">
      {say.toNumbers}
    </Anchor>
  )
  return (
    <Section title={say.numbersTitle} description={say.numbersHint} actions={change}>
      {numbers?.length === 0 ? (
        <Text size="sm">{say.noNumbers}</Text>
      ) : (
        <Stack gap="xs">
          {numbers?.map(({ id: numberId, number }) => (
            <Group key={numberId} gap="xs">
              <Icon name="hash" size={16} />
              <PhoneNumber number={number} />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}

export const DeleteLine = ({ id, line: { alias }, back }: { id: LineId; line: Line; back: string }) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deletePhoneline', {
    refreshes: ['listPhonelines', 'listUserDevices'],
    onDone: () => {
      toast.done(deleted)
      go(back)
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ ...id }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
