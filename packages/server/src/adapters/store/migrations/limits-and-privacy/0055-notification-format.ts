/** Body of call notifications. Standard Webhooks libraries parse what they verify as JSON. */
export const notificationFormat = (): string[] => [
  `alter table push_settings add column format text not null default 'form' check (format in ('form','json'))`,
]
