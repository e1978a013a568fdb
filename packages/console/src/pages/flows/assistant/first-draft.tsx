import { Button, Group } from '@mantine/core'
import { assistantTemplates, templateNames } from '@offhook/contract/v3/assistant-templates.ts'
import { useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { beginningOf, type Beginning } from './template-draft.ts'
import { text } from './text.ts'

/** A flow that had an endpoint of its own, and nobody has written an assistant for it yet. */
export const FirstDraft = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const { language } = useLanguage()
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  const begin = (beginning: Beginning): void => write.mutate([{ aiFlowId: flowId }, { settings: beginningOf(beginning, language) }])
  const choices: [Beginning, string][] = [
    ...templateNames.map((name): [Beginning, string] => [name, assistantTemplates[name][language].name]),
    ['blank', say.blank],
  ]
  return (
    <Section>
      <EmptyState
        icon="message"
        title={say.firstTitle}
        action={
          <Group gap="xs" justify="center">
            {choices.map(([beginning, label]) => (
              <Button key={beginning} variant="default" loading={write.isPending} onClick={() => begin(beginning)}>
                {label}
              </Button>
            ))}
          </Group>
        }
      >
        {say.first}
      </EmptyState>
      <ErrorNotice error={write.error} />
    </Section>
  )
}
