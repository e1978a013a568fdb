import { Button, Group, Select, Text } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useState, type ReactNode } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite, type InputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import type { MenuAction } from '#parts/table/row-menu.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'

interface PrivacySectionProps {
  title?: string
  description?: string
  of: NamedSubject
  mayErase: boolean
}

/** Buttons to export and to erase the data of one subject. */
export const PrivacySection = ({ title, description, of, mayErase }: PrivacySectionProps) => {
  const say = useText(text)
  const privacy = usePrivacy()
  return (
    <Section title={title ?? say.privacy} description={description}>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={privacy.isPending}
          onClick={() => privacy.exportData(of)}
        >
          {say.exportData}
        </Button>
        {mayErase && (
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => privacy.erase(of)}
          >
            {say.erase}
          </Button>
        )}
      </Group>
      {privacy.dialog}
    </Section>
  )
}

export interface Privacy {
  /** For a menu; empty if the person may do neither. */
  actionsFor: (subject: NamedSubject) => MenuAction[]
  exportData: (subject: NamedSubject) => void
  erase: (subject: NamedSubject) => void
  isPending: boolean
  /** Rendered next to its trigger. */
  dialog: ReactNode
}

/** Export and erasure of a person's data. */
export const usePrivacy = (): Privacy => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const [erased, setErased] = useState<NamedSubject>()
  const onDone = (): void => toast.done(say.exportStarted)
  const asUser = useWrite('createDataExport', { refreshes: ['listDataExports'], onDone })
  const asOperator = useWrite('createAccountExport', { refreshes: ['listAccountExports'], onDone })
  const exportData = ({ subject, accountId }: NamedSubject): void => {
    const onError = (error: unknown): void => toast.failed(error)
    if (accountId === undefined) asUser.mutate([{}, { subject }], { onError })
    else asOperator.mutate([{}, { accountId, subject }], { onError })
  }
  return {
    exportData,
    erase: setErased,
    isPending: asUser.isPending || asOperator.isPending,
    actionsFor: (subject) =>
      subject.accountId === undefined && !may('CAN_ERASE_DATA')
        ? []
        : [
            { label: say.exportData, icon: 'download', onClick: () => exportData(subject) },
            { label: say.erase, icon: 'trash', danger: true, onClick: () => setErased(subject) },
          ],
    dialog: erased && <EraseForm of={erased} onClose={() => setErased(undefined)} />,
  }
}

interface NamedSubject {
  subject: InputOf<'createErasure'>[1]['subject']
  /** For people. */
  name: string
  /** For the operator: the owning account. */
  accountId?: string
}

const refreshes = ['listErasures', 'listAccountErasures'] as const
const choices = ['1', '7', '14', '30']
const usual = '7'

/** Asks for the grace period, and for a confirmation. */
const EraseForm = ({ of: { subject, name, accountId }, onClose }: { of: NamedSubject; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [days, setDays] = useState(usual)
  const onDone = (): void => {
    toast.done(say.scheduled)
    onClose()
  }
  const asUser = useWrite('createErasure', { refreshes, onDone })
  const asOperator = useWrite('createAccountErasure', { refreshes, onDone })
  const write = accountId === undefined ? asUser : asOperator
  const submit = (): void => {
    const input = { subject, graceDays: Number(days) }
    if (accountId === undefined) asUser.mutate([{}, input])
    else asOperator.mutate([{}, { accountId, ...input }])
  }
  return (
    <FormModal
      opened
      title={say.eraseTitle(name)}
      submit={say.eraseNow}
      danger
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
    >
      <Text size="sm">{say.eraseBody[subject.type]}</Text>
      <Text size="sm">{say.eraseEnd}</Text>
      <Select
        label={say.grace}
        description={say.graceHint}
        data={(accountId === undefined ? choices : ['0', ...choices]).map((value) => ({ value, label: say.days(Number(value)) }))}
        value={days}
        onChange={(chosen) => setDays(chosen ?? usual)}
        allowDeselect={false}
      />
    </FormModal>
  )
}
