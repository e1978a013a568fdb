import { Stack, Text, UnstyledButton } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useState } from 'react'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './new-flow.module.css'
import { OwnFlow } from './own-flow.tsx'
import { text } from './parts/text.ts'
import { PromptFlow } from './prompt-flow.tsx'

/** Asks first who decides what is said: a prompt that is written here, or a program of one's own. */
export const NewFlow = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const [who, setWho] = useState<'prompt' | 'own'>()
  if (who === 'prompt') return <PromptFlow onClose={onClose} />
  if (who === 'own') return <OwnFlow onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={say.create}>
      <Text size="sm" mb="sm">
        {say.who}
      </Text>
      <Stack gap="sm">
        <Choice icon="message" title={say.whoPrompt} hint={say.whoPromptHint} onClick={() => setWho('prompt')} />
        <Choice icon="code" title={say.whoOwn} hint={say.whoOwnHint} onClick={() => setWho('own')} />
      </Stack>
    </Dialog>
  )
}

const Choice = ({ icon, title, hint, onClick }: { icon: IconName; title: string; hint: string; onClick: () => void }) => (
  <UnstyledButton className={classes.choice} onClick={onClick}>
    <Icon name={icon} size={22} />
    <span>
      <span className={classes.title}>{title}</span>
      <span className={classes.hint}>{hint}</span>
    </span>
  </UnstyledButton>
)
