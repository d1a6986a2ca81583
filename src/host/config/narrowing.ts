/** How a value of a project takes away from the person's. A project's value that is absent or of another kind takes nothing. */
export type Narrow = (person: unknown, project: unknown) => unknown;

/** The smaller number; without the person's the default counts. */
export function lowest(fallback = Number.POSITIVE_INFINITY): Narrow {
  return (person, project) => {
    if (typeof project !== 'number') return person;
    return Math.min(typeof person === 'number' ? person : fallback, project);
  };
}

/** The narrower of two words; `order` begins with the narrowest. */
export function narrowest(order: readonly string[], fallback: string): Narrow {
  return (person, project) => {
    const [own, theirs] = [person ?? fallback, project].map((word) => order.indexOf(String(word)));
    return theirs === undefined || theirs === -1 || own === undefined ? person : order[Math.min(own, theirs)];
  };
}

/** What both lists hold; a person without a list means everything. */
export const common: Narrow = (person, project) => {
  if (!Array.isArray(project)) return person;
  return Array.isArray(person) ? person.filter((item) => project.includes(item)) : project;
};

/** What both lists hold; a person without a list means nothing. */
export const commonListed: Narrow = (person, project) => {
  return Array.isArray(project) ? common(person ?? [], project) : person;
};

/** True if any layer says so. */
export const either: Narrow = (person, project) => (project === true ? true : person);

/** True only if both say so. */
export const both: Narrow = (person, project) => {
  return project === undefined ? person : person === true && project === true;
};

/** All rules of both: each of them only takes away. */
export const joined: Narrow = (person, project) => {
  return Array.isArray(project) ? [...(Array.isArray(person) ? person : []), ...project] : person;
};

/** Both lists by whose they are, where a later reader takes the one away from the other. */
export const sideBySide: Narrow = (person, project) => {
  return project === undefined ? person : { ...asObject(person), ...asObject(project) };
};

/** `on` if any layer says so. A person who freed their own entry has not freed an entry that replaces it. */
export const onIfEither: Narrow = (person, project) => (person === 'on' || project === 'on' ? 'on' : undefined);

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
