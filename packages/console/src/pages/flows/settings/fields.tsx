import { Group, SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'
import { SayButton } from '../../../lazy-parts/speech/say-button.tsx'
import type { Form } from '#parts/form/use-form.ts'
import type { Flow } from '../parts/flow-state.tsx'
import type { FlowForm } from './flow-form.ts'
import classes from './settings.module.css'

/** Two fields in a row if there is room, with aligned inputs. */
export const Fields = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} className={classes.fields}>
    {children}
  </SimpleGrid>
)

interface SpokenFieldProps {
  form: Form<FlowForm>
  flow: Flow
  label: string
  /** The spoken text. */
  spoken: string
  /** Its input field. */
  children: ReactNode
}

/** A field with spoken text, and a button that plays it with the voice chosen on the page, saved or not. */
export const SpokenField = ({ form: { values }, flow, label, spoken, children }: SpokenFieldProps) => {
  const [provider, voice] = [values['tts/provider'], values['tts/voice'].trim()]
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <div style={{ flex: 1 }}>{children}</div>
      <SayButton
        of={label}
        {...(provider !== '' && { provider })}
        {...(voice !== '' && { voice })}
        language={values['tts/language'] || values.language || flow.speech.speaks.language}
        text={spoken}
      />
    </Group>
  )
}
