/** How a project's value narrows the user's. An absent or invalid project value has no effect. */
export type Narrow = (person: unknown, project: unknown) => unknown;

/** The smaller number; without a user's value, the fallback counts. */
export function lowest(fallback = Number.POSITIVE_INFINITY): Narrow {
  return (person, project) => {
    if (typeof project !== 'number') return person;
    return Math.min(typeof person === 'number' ? person : fallback, project);
  };
}

/** The stricter of two words; `order` begins with the strictest. */
export function narrowest(order: readonly string[], fallback: string): Narrow {
  return (person, project) => {
    const [own, theirs] = [person ?? fallback, project].map((word) => order.indexOf(String(word)));
    return theirs === undefined || theirs === -1 || own === undefined ? person : order[Math.min(own, theirs)];
  };
}

/** The intersection; a user without a list allows everything. */
export const common: Narrow = (person, project) => {
  if (!Array.isArray(project)) return person;
  return Array.isArray(person) ? person.filter((item) => project.includes(item)) : project;
};

/** The intersection; a user without a list allows nothing. */
export const commonListed: Narrow = (person, project) => {
  return Array.isArray(project) ? common(person ?? [], project) : person;
};

/** True if the project says so; otherwise the user's value. */
export const either: Narrow = (person, project) => (project === true ? true : person);

/** True only if both are. */
export const both: Narrow = (person, project) => {
  return project === undefined ? person : person === true && project === true;
};

/** The rules of both, because each rule only restricts. */
export const joined: Narrow = (person, project) => {
  return Array.isArray(project) ? [...(Array.isArray(person) ? person : []), ...project] : person;
};

/** Keeps both lists under their scope, for a reader that intersects them later. */
export const sideBySide: Narrow = (person, project) => {
  return project === undefined ? person : { ...asObject(person), ...asObject(project) };
};

/** `on` if either says so. A user who released an entry has not released one that replaces it. */
export const onIfEither: Narrow = (person, project) => (person === 'on' || project === 'on' ? 'on' : undefined);

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
