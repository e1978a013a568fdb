import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { AddButton } from '../page/add-button.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { Loaded } from '../page/loaded.tsx'
import { SecretModal } from '../dialog/secret-modal.tsx'
import { Section } from '../page/section.tsx'
import { text } from './signing-secrets-text.ts'
import { useToast } from '../dialog/toast.tsx'
import { type SigningSecretsProps, SecretTable } from './secret-table.tsx'

/** Secrets that sign what is sent to customers' software: a new one is shown once, older ones go on beside it for a while. */
export const SigningSecrets = ({ words, secrets, onCreate, creating, onDelete }: SigningSecretsProps) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [shown, setShown] = useState<string>()
  const ask = async (): Promise<void> => {
    const isFirst = secrets.data?.items.length === 0
    if (!isFirst && !(await confirm({ title: say.createTitle, body: say.createBody, confirm: say.create, danger: false }))) return
    await onCreate().then(({ secret }) => setShown(secret), toast.failed)
  }
  const button = (
    <AddButton variant="default" onClick={() => void ask()} loading={creating} disabled={!secrets.data}>
      {say.create}
    </AddButton>
  )
  return (
    <Section title={say.title} description={words.about} actions={button} flush>
      <Loaded query={secrets}>{({ items }) => <SecretTable words={words} secrets={items} onDelete={onDelete} />}</Loaded>
      <SecretModal
        title={say.create}
        secrets={shown === undefined ? undefined : [{ label: say.secret, value: shown }]}
        onClose={() => setShown(undefined)}
      />
    </Section>
  )
}
